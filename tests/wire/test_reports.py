"""Which test proves what users of such tools reported about model servers, one case a line.

A case of the data files is named by its file and name, any other by its module and function.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
REPORTS = {
    "A01 deltas without an index": ["tool_calls: no index at all"],
    "A04 a new id in every nameless delta": ["tool_calls: a new id for every fragment of one call"],
    "A05 a name repeated, a name in parts": [
        "tool_calls: the whole name in every fragment",
        "tool_calls: a name in two parts",
    ],
    "A06 two entries of one index in a chunk": ["tool_calls: two entries of one index in a chunk"],
    "A07 interleaved parallel calls": ["tool_calls: parallel calls whose fragments alternate"],
    "A08 a choice without a delta": ["streams: a choice without a delta", "streams: a delta that is null"],
    "A11 keep-alives as data": [
        "streams: a keep-alive wrapped as data",
        "streams: an unreadable payload between good ones",
        "streams: nothing but keep-alives wrapped as data",
    ],
    "A14 an error inside a 200 stream": [
        "streams: an error as the first event of a 200 stream",
        "streams: an error with a code word after partial text",
        "streams: an error event of another provider's shape",
        "wire/test_retries.py: test_half_a_reply_is_void_and_asked_again",
    ],
    "A15 an error as prose, never closed": ["streams: an error as bare prose, then silence"],
    "A16 characters split over chunks": [
        "streams: characters of several bytes",
        "tool_calls: characters of several bytes",
        "wire/test_streams.py: test_a_small_stream_cut_in_two_at_every_byte",
    ],
    "A18 empty arguments": [
        "tool_calls: a call without arguments",
        "tool_calls: arguments of white space",
        "wire/test_tool_calls.py: test_arguments_go_back_as_an_object",
    ],
    "A19 arguments that do not parse": [
        "tool_calls: arguments that are cut off stay as they came",
        "loop/test_asking.py: test_arguments_that_do_not_parse_are_never_executed",
    ],
    "A22 max_tokens refused": ["wire/test_refusals.py: test_refused_parameter"],
    "A23 temperature refused": [
        "wire/test_refusals.py: test_refused_parameter",
        "wire/test_messages.py: test_refused_parameters",
    ],
    "A25 empty text in the history": ["wire/test_messages.py: test_no_empty_text_and_no_mark_on_an_empty_block"],
    "A26 a call without its result": [
        "wire/test_messages.py: test_every_call_has_its_result_in_the_next_turn",
        "wire/test_tool_calls.py: test_a_call_that_was_interrupted_gets_a_result_in_its_place",
        "wire/test_responses.py: test_a_call_that_was_interrupted_gets_its_output",
    ],
    "A29 thinking among the text": [
        "streams: a tag of thinking split over deltas, with a drafted block",
        "streams: a lone closing tag of thinking",
        "streams: a tag that is the content of a file",
        "streams: reasoning in fields of its own",
        "unit/models/test_thinking.py: test_visible_text",
    ],
    "A30 a prompt that is too long": [
        *(f"errors: context overflow, wording {n}" for n in range(1, 8)),
        "errors: a bad token is no overflow",
        "loop/test_overflow.py: test_a_conversation_that_is_too_long_is_shortened_and_sent_again",
        "loop/test_overflow.py: test_what_cannot_be_shortened_ends_in_one_sentence",
    ],
    "A31 a prompt cut in silence": [
        "wire/test_ollama.py: test_a_prompt_that_was_cut_in_silence_is_not_believed",
        "wire/test_ollama.py: test_the_window_grows_with_the_conversation_and_never_shrinks",
    ],
    "A32 overloaded, inside a stream and as 529": [
        "wire/test_messages.py: test_overloaded_inside_the_stream_is_waited_out",
        "wire/test_cancel.py: test_cancelling_while_it_waits_for_a_retry",
        "wire/test_errors.py: test_every_wait_is_an_event",
    ],
    "A33 Retry-After in every form": [
        "wire/test_retries.py: test_the_server_says_how_long",
        "wire/test_retries.py: test_a_wish_beyond_the_cap_ends_it",
        "errors: quota gone, as 429",
    ],
    "A35 reasoning and its call stay together": [
        "wire/test_responses.py: test_a_conversation_that_was_compacted_is_sent_whole_with_reasoning_and_call_together",
        "wire/test_responses.py: test_without_storing_encrypted_reasoning_goes_back",
    ],
    "A36 response.incomplete and response.failed": [
        "wire/test_responses.py: test_cut_off_with_nothing_but_reasoning",
        "wire/test_responses.py: test_a_response_that_failed",
    ],
    "A37 items without their beginning or end": [
        "wire/test_responses.py: test_items_without_their_beginning_or_end",
        "wire/test_responses.py: test_arguments_that_come_only_at_their_end",
    ],
    "A38 arguments that are no object": [
        "tool_calls: arguments that are no object",
        "wire/test_tool_calls.py: test_arguments_go_back_as_an_object",
        "loop/test_asking.py: test_arguments_that_do_not_parse_are_never_executed",
    ],
    "A39 line ends of every kind": [
        "streams: lines that end in CRLF",
        "streams: lines that end in CR",
        "streams: one event over several data lines",
        "wire/test_streams.py: test_a_small_stream_cut_in_two_at_every_byte",
    ],
}


@pytest.mark.parametrize("report", REPORTS)
def test_every_report_has_its_tests(report: str) -> None:
    for named in REPORTS[report]:
        place, _, name = named.partition(": ")
        if place.endswith(".py"):
            assert f"def {name}(" in (TESTS / place).read_text("utf-8"), named
        else:
            lines = (TESTS / "data" / "wire" / f"{place}.jsonl").read_text("utf-8").splitlines()
            assert name in {json.loads(line)["name"] for line in lines}, named
