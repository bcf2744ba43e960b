"""JSON from outside is read in one way, or not at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoectl.strict_json import KeyTwice, NotJson, loads

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_what_is_json_is_read_as_it_is(value: object) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) == value


@given(st.dictionaries(st.text(), PLAIN, min_size=1, max_size=4), st.data())
def test_no_key_stands_there_twice_wherever_it_is(value: dict[str, object], data: st.DataObject) -> None:
    twice = data.draw(st.sampled_from(sorted(value)))
    text = f'[{{"a": {json.dumps(value)[:-1]}, {json.dumps(twice)}: 1}}}}]'
    with pytest.raises(KeyTwice, match=r"stands there twice$") as caught:
        loads(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "{", "nothing", "NaN", "[-Infinity]", "1 2", b"\xff", '"\n"', "[" * 100_000, "9" * 10_000, "{'a': 1}"],
)
def test_what_is_none_is_one_line(text: str | bytes) -> None:
    with pytest.raises(NotJson) as caught:
        loads(text)
    assert str(caught.value).startswith("not JSON that can be read: ")
    assert "\n" not in str(caught.value)
