"""CSV as real tools write it is read; what is wrong with it is told with file, line and column."""

from __future__ import annotations

import numpy as np
import pytest
from trajectories import COLUMNS, Run, as_csv

HEADER = ",".join(COLUMNS)
ROW = "1,2,3,4,5,6"


def spaced(text: str) -> str:
    return text.replace(",", " , \t")


def all_quoted(text: str) -> str:
    return "\n".join(",".join(f'"{field}"' for field in line.split(",")) for line in text.splitlines())


def header_quoted(text: str) -> str:
    header, rows = text.split("\n", 1)
    return all_quoted(header) + "\n" + rows


def with_separator(separator: str, text: str) -> str:
    return text.replace(",", separator)


def in_blanks(text: str) -> str:
    return "\n".join("   ".join(line.split(",")) for line in text.splitlines()) + "\n"


def with_comments(text: str) -> str:
    header, first, *rest = text.splitlines()
    return "\n".join(["# by a logger, at 1000 Hz", "% and another", header, first, "# a pause", *rest]) + "\n"


FORMS = {
    "plain": str,
    "semicolons": lambda text: with_separator(";", text),
    "semicolons and decimal commas": lambda text: with_separator(";", text).replace(".", ","),
    "tabs": lambda text: with_separator("\t", text),
    "tabs and decimal commas": lambda text: with_separator("\t", text).replace(".", ","),
    "blanks": in_blanks,
    "blanks, header of numpy.savetxt": lambda text: "# " + in_blanks(text),
    "comments": with_comments,
    "comments and semicolons": lambda text: with_comments(text).replace("1000 Hz", "").replace(",", ";"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "old Mac": lambda text: text.replace("\n", "\r"),
    "byte order mark": lambda text: "\ufeff" + text,
    "no end of line": lambda text: text.rstrip("\n"),
    "spaces": spaced,
    "quotes": all_quoted,
    "quotes and spaces": lambda text: all_quoted(text).replace(",", ",  "),
    "quoted header (R)": header_quoted,
    "blank lines at the end": lambda text: text + "\n  \n\n\n\n\n",
    "blank lines at the beginning": lambda text: "\n \n" + text,
    "header of numpy.savetxt": lambda text: "# " + text,
    "comma at the end": lambda text: text.replace("\n", ",\n"),
    "commas at the end": lambda text: text.replace("\n", ",,\n"),
    "capital exponents": lambda text: text.replace("e-", "E-"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chunk", [2, 1000])
def test_forms_make_no_difference(run: Run, robot_file, states, tmp_path, form, chunk) -> None:
    plain = run("id", robot_file, "-", stdin=as_csv(states)).stdout
    path = tmp_path / "form.csv"
    path.write_bytes(FORMS[form](as_csv(states)).encode())
    result = run("id", robot_file, path, "--chunk", chunk)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == plain
    assert plain.count("\n") == 8


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("form", ["semicolons and decimal commas", "tabs and decimal commas"])
@pytest.mark.parametrize("times", ["{:.3f}", "{:.2e}", "00:00:{:06.3f}", "2030-01-31 12:00:{:06.3f}+02:00"])
def test_decimal_commas_of_times(run: Run, robot_file, tmp_path, form, quote, times) -> None:
    """As numbers, clocks and time stamps; quotes take the careful reader."""
    t = np.arange(60) / 40
    rows = [f"{quote}{times.format(x)}{quote},{0.5 * np.sin(x):.9f},{0.1 + 0.1 * x * x:.9f}" for x in t]
    text = "\n".join(["t,q_turn,q_slide", *rows]) + "\n"
    out = tmp_path / "o.npz"
    plain = run("id", robot_file, "-", "--differentiate", stdin=text)
    got = run("id", robot_file, "-", "--differentiate", stdin=FORMS[form](text))
    assert (got.exit_code, got.stdout) == (0, plain.stdout), got.stderr
    assert run("id", robot_file, "-", stdin=FORMS[form](text)).stdout == run("id", robot_file, "-", stdin=text).stdout
    assert run("id", robot_file, "-", "-o", out, stdin=FORMS[form](text)).exit_code == 0
    if times[0] == "{":
        np.testing.assert_allclose(np.load(out)["t"], t, atol=0.006 if "e" in times else 1e-15)


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("form", ["plain", "tabs and decimal commas"])
def test_utf16(run: Run, robot_file, states, tmp_path, code, form) -> None:
    plain = run("id", robot_file, "-", stdin=as_csv(states)).stdout
    result = run("id", robot_file, "-", stdin=FORMS[form](as_csv(states)).encode(code))
    assert result.exit_code == 0, result.stderr
    assert result.stdout == plain
    cut = run("id", robot_file, "-", stdin=as_csv(states).encode("utf-16")[:-1])
    assert cut.exit_code == 1
    assert "<stdin>: the UTF-16 text is damaged or cut off" in cut.stderr


def test_no_header(run: Run, robot_file, states) -> None:
    header, rows = as_csv(states).split("\n", 1)
    plain = run("id", robot_file, "-", stdin=as_csv(states)).stdout
    assert run("id", robot_file, "-", "--header", header, stdin=rows).stdout == plain
    assert run("id", robot_file, "-", "--header", header, stdin="# pause 7\n" + rows).stdout == plain
    assert run("id", robot_file, "-", "--header", header, stdin=with_separator(";", rows)).stdout == plain
    short = run("id", robot_file, "-", "--header", "a,b", stdin=rows)
    assert "<stdin>:1: 2 names of columns were given, and the row has 6 fields" in short.stderr
    twice = run("id", robot_file, "-", "--header", header, stdin=as_csv(states))
    assert "<stdin>:1: wanted a row of numbers, for names of columns were given" in twice.stderr


def test_empty_fields_are_filled_as_asked(run: Run, robot_file) -> None:
    """Against the same file with the numbers written in."""
    sparse = "t,q_turn,q_slide\n0,1,0.1\n1,,0.2\n4,4,\n5,,\n6,6,0.6\n"
    last = "t,q_turn,q_slide\n0,1,0.1\n1,1,0.2\n4,4,0.2\n5,4,0.2\n6,6,0.6\n"
    linear = "t,q_turn,q_slide\n0,1,0.1\n1,1.75,0.2\n4,4,0.44\n5,5,0.52\n6,6,0.6\n"
    for chunk in (1, 2, 3, 100):
        for how, full in (("last", last), ("linear", linear)):
            got = run("id", robot_file, "-", "--fill", how, "--chunk", chunk, stdin=sparse).stdout.splitlines()
            wanted = run("id", robot_file, "-", stdin=full).stdout.splitlines()
            assert len(got) == len(wanted) == 6
            for one, other in zip(got[1:], wanted[1:], strict=True):
                np.testing.assert_allclose([*map(float, one.split(","))], [*map(float, other.split(","))], rtol=1e-12)
    ends = run("id", robot_file, "-", "--fill", "last", stdin="q_turn,q_slide\n,1\n2,\n")
    assert ends.stdout.splitlines()[1] == "nan,nan"
    assert "nulls, read as NaN: 1" in ends.stderr
    refused = run("id", robot_file, "-", stdin=sparse)
    assert "<stdin>:3: column 'q_turn': empty (write nan" in refused.stderr
    assert "--fill last" in refused.stderr


def test_files_of_other_kinds_are_named(run: Run, robot_file, tmp_path) -> None:
    for suffix in ("xlsx", "json", "ulg"):
        (tmp_path / f"m.{suffix}").write_bytes(b"PK")
        told = run("id", robot_file, tmp_path / f"m.{suffix}")
        assert told.exit_code == 1
        assert f"m.{suffix}: files .{suffix} are not read or written; those are CSV" in told.stderr
        assert "ROS bags" in told.stderr
    (tmp_path / "m.dat").write_bytes(b"MDF     \0\0")
    assert (
        "this is not UTF-8 text, so it is no CSV; by their suffixes" in run("id", robot_file, tmp_path / "m.dat").stderr
    )


def test_one_column_and_blank_lines(run: Run, robot_file) -> None:
    """A blank line has as many commas as a row of one field."""
    good = run("id", robot_file, "-", "--lock", "slide=0", stdin="q_turn\n1\n2\n\n")
    assert good.exit_code == 0
    assert good.stdout.count("\n") == 3
    bad = run("id", robot_file, "-", "--lock", "slide=0", stdin="q_turn\n1\n\n2\n")
    assert bad.stderr.endswith("<stdin>:3: blank line between rows\n")


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "nan(ind)", "-NAN(IND)", "nan()", "nan(0x8)"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_nan_as_c_libraries_write_it(run: Run, robot_file, text, quote) -> None:
    result = run("id", robot_file, "-", stdin=f"q_turn,q_slide\n{quote}{text}{quote},1\n")
    assert result.stdout.endswith("\nnan,nan\n")
    assert "1 sample in " in result.stderr


def test_bytes_that_are_no_utf8_pass_where_nobody_reads_them(run: Run, robot_file) -> None:
    header, row = HEADER.encode(), ROW.encode()
    latin = b"t," + header + b",note \xe9\nl\xe9,".replace(b"\xe9", b"\xe9") + row + b",caf\xe9\n"
    result = run("id", robot_file, "-", stdin=latin)
    assert result.exit_code == 0
    assert result.stdout_bytes.splitlines()[1].startswith(b"l\xe9,")
    bad = run("id", robot_file, "-", stdin=header + b"\n" + row + b"\xe9\n")
    assert bad.exit_code == 1
    assert "<stdin>:2: column 'qdd_slide': not a number: " in bad.stderr


def test_a_time_with_comma_stays_one_field(run: Run, robot_file) -> None:
    result = run("id", robot_file, "-", stdin=f't,{HEADER}\n"1,5",{ROW}\n"say ""x""",{ROW}\n')
    lines = result.stdout.splitlines()
    assert lines[1].startswith('"1,5",')
    assert lines[2].startswith('"say ""x""",')


def test_a_comma_in_quotes_separates_nothing(run: Run, robot_file) -> None:
    """The row has as many commas as the header, but one is part of a note, so that a field is missing."""
    result = run("id", robot_file, "-", stdin='note,other,q_turn,q_slide\n"a,b",1,2\n')
    assert result.exit_code == 1
    assert "<stdin>:2: 3 fields where the header has 4" in result.stderr


HEADERS = {
    "": "motion.csv: the file is empty; the first line must name the columns",
    "\n \n": "motion.csv: the file is empty",
    "1,2,3,4,5,6,7,8,9,10\n": "motion.csv:1: no header, and by position: 10 columns; wanted are the first of q (2)",
    "\n" + HEADER + ",t,q_turn,t": "motion.csv:2: duplicate columns: q_turn, t",
    "q_turn": "motion.csv:1: missing columns: q_slide",
    "q_turn,q_slyde": "motion.csv:1: missing columns: q_slide (did you mean 'q_slyde'?)",
    "q_turn,q_slide,qd_slide": "motion.csv:1: missing columns: qd_turn",
    "t,qd_turn,qd_slide": "motion.csv:1: missing columns: q_turn, q_slide",
    HEADER + ",q_wrist": "motion.csv:1: columns of joints that arm does not have: q_wrist",
    HEADER + ",qd_Slide": "arm does not have: qd_Slide (did you mean 'qd_slide'?)",
    '"q_turn,q_slide': "motion.csv:1: the header is not a line of CSV",
    "# by a logger": "missing columns: q_turn, q_slide; the columns are 'by a logger'\n",
    ",".join(f"x{k}" for k in range(1042)): ", 'x38', 'x39' and 1,002 more\n",
    "q_turn\0,q_slide": "motion.csv:1: this is not UTF-8 text",
}


@pytest.mark.parametrize("text", HEADERS)
def test_headers_refused(run: Run, robot_file, tmp_path, monkeypatch, text) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motion.csv").write_text(text)
    result = run("id", robot_file, "motion.csv", "-o", "tau.csv")
    assert result.exit_code == 1
    assert HEADERS[text] in result.stderr
    assert result.stderr.splitlines()[-1].startswith("motion.csv:")
    assert not (tmp_path / "tau.csv").exists()


def test_of_many_other_columns_some_are_told(run: Run, robot_file) -> None:
    names = [f"x{k}" for k in range(2040)]
    result = run("id", robot_file, "-", stdin=",".join([HEADER, *names]) + "\n" + ",".join([ROW, *names]) + "\n")
    assert "<stdin>: ignored columns: x0, x1, " in result.stderr
    assert ", x38, x39 and 2,000 more\n" in result.stderr


ROWS = {
    "1,2,3,abc,5,6": "column 'qd_slide': not a number: 'abc'",
    "1,2,3,4,5,": "column 'qdd_slide': empty (write nan for an unknown number)",
    "1,2,3,4,5,1_000": "column 'qdd_slide': not a number: '1_000'",
    "1,2,3,4,5,0x10": "column 'qdd_slide': not a number: '0x10'",
    "1,2,3,4,5,\u0661": "column 'qdd_slide': not a number: '\u0661'",
    '1,2,3,"0,5",5,6': "column 'qd_slide': not a number: '0,5' (wanted is a decimal point)",
    "1,2,3,4,5": "5 fields where the header has 6",
    "1,2,3,4,5,6,7": "7 fields where the header has 6",
    "1,0,2,0,3,0,4,0,5,0,6,0": "12 fields where the header has 6 (are there decimal commas? wanted are points)",
    "1;2;3;4;5;6": "1 fields where the header has 6",
    "": "blank line between rows",
    '1,2,3,4,5,"6': "quote",
    '1,2,3,4,5,"6"7': "',' expected after '\"'",
}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("chunk", [1, 2, 3, 1000])
@pytest.mark.parametrize("before", [0, 1, 2, 4])
def test_rows_refused_with_file_line_and_column(run: Run, robot_file, tmp_path, row, chunk, before) -> None:
    path = tmp_path / "motion.csv"
    path.write_text("\n".join([HEADER, *[ROW] * before, row, ROW, ROW]) + "\n")
    result = run("id", robot_file, path, "--chunk", chunk, "-o", tmp_path / "tau.csv")
    assert result.exit_code == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"{path}:{before + 2}: ")
    assert ROWS[row] in last or (row.endswith('"6') and "unexpected end of data" in last)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.urdf", "motion.csv"]


def test_short_and_long_rows_do_not_make_up_for_each_other(run: Run, robot_file) -> None:
    result = run("id", robot_file, "-", stdin=f"{HEADER}\n1,2,3,4,5\n1,2,3,4,5,6,7\n")
    assert "<stdin>:2: 5 fields" in result.stderr
