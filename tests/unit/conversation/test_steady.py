"""What differs from run to run is no part of a prompt; what a model needs is (SPEC R2, Q23)."""

from __future__ import annotations

import pytest

from compile_loop.conversation.steady import steady

pytestmark = pytest.mark.spec("R2", "Q23")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ran 3 tests in 0.001s", "Ran 3 tests in 1.204s"),
        ("=== 1 failed, 2 passed in 0.03s ===", "=== 1 failed, 2 passed in 61.20s ==="),
        ("    Finished dev profile in 0.05s", "    Finished dev profile in 1m 12s"),
        ("--- FAIL: TestPay (0.00s)", "--- FAIL: TestPay (0.01s)"),
        ("FAIL\texample.com/pay\t0.003s", "FAIL\texample.com/pay\t0.041s"),
        ("  ✕ pays (5 ms)", "  ✕ pays (12 ms)"),
        ("Total time:  2.345 s", "Total time:  0.9 s"),
        ("Finished at: 2026-01-02T03:04:05+01:00", "Finished at: 2025-11-29T18:14:15Z"),
        ("18:12:01 ERROR no such rule", "09:00:59 ERROR no such rule"),
        ("real\t0m0.012s", "real\t0m1.500s"),
        ("# duration_ms 12.345", "# duration_ms 9.1"),
        ("Total Test time (real) =   0.01 sec", "Total Test time (real) =   1.20 sec"),
        ("<Rule object at 0x7f32c8b3fd60>", "<Rule object at 0x7f1111111110>"),
        ("'<Rule object at 0x7f32c8b3fd60>'", "'<Rule object at 0x7f1111111110>'"),
        ("==3121==ERROR: AddressSanitizer", "==99==ERROR: AddressSanitizer"),
        ("thread 'main' (31415) panicked at src/main.rs:4:5:", "thread 'main' (92) panicked at src/main.rs:4:5:"),
        ("worker process 4121 died", "worker process 77 died"),
        ("/usr/bin/ld: /tmp/ccA1b2C3.o: in function `main':", "/usr/bin/ld: /tmp/ccZZy8x7.o: in function `main':"),
        ("wrote /tmp/tmpab12cd_3/out.txt", "wrote /tmp/tmpzz98yx_w/out.txt"),
        ("/tmp/pytest-of-me/pytest-12/test_x0/a", "/tmp/pytest-of-me/pytest-13/test_x0/a"),
        ("target/debug/deps/pay-0123456789abcdef", "target/debug/deps/pay-fedcba9876543210"),
        ("run 5f0c954e-1f2d-4a8e-9d8a-112233445566", "run 00000000-1f2d-4a8e-9d8a-112233445566"),
        (
            "COMPILE_LOOP_CHECK_MARK=12:1764440000.25:0123456789abcdef0123456789abcdef",
            "COMPILE_LOOP_CHECK_MARK=977:1764449999.5:ffffffffffffffff0123456789abcdef",
        ),
    ],
)
def test_what_varies_becomes_the_same_words(first: str, second: str) -> None:
    assert steady(first) == steady(second)


@pytest.mark.parametrize(
    "text",
    [
        "a.c:12:5: error: expected ‘;’ before ‘return’",
        "AssertionError: expected 30, got 31",
        "AssertionError: '10:00:00' != '11:00:00'",
        'assert "in 5s" == "in 6s"',
        "error: mask 0xff is too wide",
        "expected 0.5, got 0.25",
        "  File \"/home/me/pay/rule.py\", line 4, in pay",
        "undefined reference to `pay_in_2s'",
        "/home/me/cctools/cc.o: no such file",
        "version 1.2.3 of rule-7",
        "12 errors generated.",
        "waits 3 seconds for the lock",
    ],
)  # fmt: skip
def test_what_a_model_needs_stays(text: str) -> None:
    assert steady(text) == text


def test_a_steady_text_stays_as_it_is() -> None:
    text = "Ran 3 tests in 0.001s\n0x7f32c8b3fd60 pid 12 /tmp/ccA1b2C3.o ==12== (0.1s)\n"
    assert steady(steady(text)) == steady(text)


@pytest.mark.timeout(60)
def test_a_flood_ends() -> None:
    flood = "src/some/file.c:12:5: error: expected ‘;’ before ‘return’ in 0.5s\n" * 2000
    steady(flood)
