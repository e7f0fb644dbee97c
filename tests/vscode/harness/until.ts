/** Looks again and again until `look` gives something; a deadline that passes says what was waited for. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  milliseconds = 30_000,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) {
      return found as Exclude<T, undefined | null | false>;
    }
    if (Date.now() > deadline) {
      throw new Error(`Waited ${milliseconds / 1000} s for ${what}.`);
    }
    await new Promise((again) => setTimeout(again, 50));
  }
}
