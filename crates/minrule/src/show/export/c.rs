//! C99, with nothing but the standard library.
//!
//! A missing number is NaN and a missing text is NULL: then a comparison is false of a missing value
//! and its negation true, as conditions want it.

use crate::apply::predict::Conflict;
use crate::error::Result;
use crate::show::export::identifiers::identifiers;
use crate::show::export::program::{Column, Count, Program, Rule, Test, What};
use crate::show::export::words::{all_of, head};
use crate::text::{is_plain, one_line};

/// Words that are no names of members: keywords up to C23, and macros that compilers or the headers
/// used here may define.
const KEYWORDS: &str = "\
    alignas alignof and asm auto bool break case char const constexpr continue default do double \
    else enum errno extern false float for goto i386 if inline int linux long math_errhandling not nullptr or \
    register restrict return short signed sizeof static static_assert stderr stdin stdout struct \
    switch thread_local true typedef typeof typeof_unqual union unix unsigned void volatile while \
    xor near far";

pub(crate) fn c(program: &Program) -> Result<String> {
    program.refuse("a name or value for C", |c| c == '\0', "free of NUL characters")?;
    let members = identifiers(program.columns.iter().map(|column| column.name), KEYWORDS);
    let mut out = String::from("/*\n");
    for line in head(program) {
        out.push_str(format!(" * {}", comment(&line)).trim_end());
        out.push('\n');
    }
    out.push_str(USE);
    out.push_str(&row(program, &members));
    out.push_str(&rules(program, &members));
    out.push_str(&predict(program, &members));
    out.push_str(&main(program, &members));
    Ok(out)
}

fn row(program: &Program, members: &[String]) -> String {
    let columns = program.columns.iter().zip(members).map(|(column, member)| {
        let kind = if column.numeric { "double " } else { "const char *" };
        let unit = column.count().map_or(String::new(), |count| format!(", in {}", count.unit));
        format!("    {kind}{member}; /* {}{unit} */\n", comment(column.name))
    });
    let mut columns: String = columns.collect();
    if columns.is_empty() {
        // A structure without members is not C.
        columns.push_str("    char unused;\n");
    }
    format!(
        "\n/* The values that rules test: NAN or NULL where one is missing. */\n\
         struct row {{\n{columns}}};\n\n\
         /* The class of a row; NULL if the rules and the policy give it none. */\n\
         const char *predict(const struct row *row);\n{}{}",
        declarations(program),
        moments(program),
    )
}

/// What turns dates and times into numbers, for users as well.
fn declarations(program: &Program) -> String {
    let declaration = |count: &Count| {
        let Count { function, unit, reads, .. } = count;
        format!(
            "\n/* Reads {reads}:\n   {unit}; NAN if it is none. */\n\
             double {function}(const char *text);\n"
        )
    };
    program.counts().iter().map(declaration).collect()
}

/// The same with their bodies.
fn moments(program: &Program) -> String {
    let counts = program.counts();
    if counts.is_empty() {
        return String::new();
    }
    let function = |count: &Count| {
        let (name, days, offset) = (count.function, count.days as u8, count.offset as u8);
        format!(
            "\ndouble {name}(const char *text)\n{{\n    return moment(text, {days}, {offset});\n}}\n"
        )
    };
    MOMENT.to_string() + &counts.iter().map(function).collect::<String>()
}

/// A function for each rule, and the table of all.
fn rules(program: &Program, members: &[String]) -> String {
    if program.rules.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    let tests = || program.rules.iter().flat_map(|rule| &rule.tests);
    let names_missing = program.asks_for_missing_text() && !program.missing_texts().is_empty();
    if names_missing || tests().any(|test| matches!(test.what, What::Is(_))) {
        out.push_str(IS);
    }
    if program.asks_for_missing_text() {
        out.push_str(&is_missing(program));
    }
    if program.nearest() {
        out.push_str("\n/* Each says how many of its conditions a row does not meet. */\n");
    }
    let name = if program.nearest() { "unmet" } else { "fires" };
    for (i, rule) in program.rules.iter().enumerate() {
        let target = &program.model.decision_set.target;
        let words = comment(&rule.rule.sentence_with_size(target, &program.wording));
        let (i, body) = (i + 1, body(program, members, rule));
        out.push_str(&format!(
            "\n/* {words} */\nstatic int rule_{i}(const struct row *r)\n{{\n{body}}}\n"
        ));
    }
    let labels: Vec<String> =
        program.model.labels.iter().map(|label| format!("    {},\n", string(label))).collect();
    out.push_str(&format!("\nstatic const char *const labels[] = {{\n{}}};\n", labels.concat()));
    let strength = program.strength();
    out.push_str(&format!(
        "\n/* Classes are positions in labels; covers counts rows of the table learned from. */\n\
         static const struct {{\n    \
             int then;\n    \
             unsigned long long covers;\n    \
             int {strength};\n    \
             int (*{name})(const struct row *);\n\
         }} rules[] = {{\n"
    ));
    for (i, rule) in program.rules.iter().enumerate() {
        let Rule { label, covers, strength, .. } = rule;
        out.push_str(&format!("    {{{label}, {covers}, {strength}, rule_{}}},\n", i + 1));
    }
    out.push_str(&format!(
        "}};\n\nenum {{ RULES = {}, LABELS = {} }};\n",
        program.rules.len(),
        program.model.labels.len()
    ));
    out
}

fn body(program: &Program, members: &[String], rule: &Rule) -> String {
    let tests: Vec<String> = rule.tests.iter().map(|t| test(program, members, t)).collect();
    let uses_row = rule.tests.iter().any(|test| !matches!(test.what, What::Never));
    let unused = if uses_row { "" } else { "    (void)r;\n" };
    let value = match (program.nearest(), tests.is_empty()) {
        (false, true) => "1".to_string(),
        (false, false) => all_of(&tests),
        (true, true) => "0".to_string(),
        (true, false) => {
            let unmet: Vec<String> = tests.iter().map(|test| format!("!({test})")).collect();
            unmet.join("\n        + ")
        }
    };
    format!("{unused}    return {value};\n")
}

fn test(program: &Program, members: &[String], test: &Test) -> String {
    let value = format!("r->{}", members[test.column]);
    let not = if test.negated { "!" } else { "" };
    let equal = if test.negated { "!=" } else { "==" };
    // Of NaN, "not at most" is true and "more than" is not.
    let compared = |comparison: String| match test.negated {
        true => format!("!({comparison})"),
        false => comparison,
    };
    match test.what {
        What::Is(text) => format!("{not}is({value}, {})", string(text)),
        What::Equals(x) => format!("{value} {equal} {x:?}"),
        What::AtMost(t) => compared(format!("{value} <= {t:?}")),
        What::Above(t) => compared(format!("{value} > {t:?}")),
        What::AtLeast(t) => compared(format!("{value} >= {t:?}")),
        What::Below(t) => compared(format!("{value} < {t:?}")),
        What::Between(low, high) => compared(format!("{low:?} <= {value} && {value} <= {high:?}")),
        What::Within(low, high) => compared(format!("{low:?} < {value} && {value} <= {high:?}")),
        What::Missing if program.is_missing_text(test) => format!("{not}is_missing({value})"),
        What::Missing => format!("{not}isnan({value})"),
        What::Never => u8::from(test.negated).to_string(),
    }
}

/// Whether a number is one that counts.
fn counts(column: &Column, member: &str) -> String {
    let also: String = column.missing.iter().map(|x| format!(" && r.{member} != {x:?}")).collect();
    format!("isfinite(r.{member}){also}")
}

fn is_missing(program: &Program) -> String {
    let texts = program.missing_texts();
    if texts.is_empty() {
        return IS_MISSING.to_string();
    }
    let same: Vec<String> = texts.iter().map(|text| format!("is(text, {})", string(text))).collect();
    let also = format!("    if ({}) {{\n        return 1;\n    }}\n", same.join(" || "));
    IS_MISSING.replacen("    if (length == 1) {", &format!("{also}    if (length == 1) {{"), 1)
}

fn predict(program: &Program, members: &[String]) -> String {
    let label = program.uncovered_label().map_or("NULL".to_string(), string);
    let head = "\nconst char *predict(const struct row *row)\n{\n";
    if program.rules.is_empty() {
        return format!("{head}    (void)row;\n    return {label};\n}}\n");
    }
    let nearest = program.nearest();
    let mut body = String::from("    struct row r = *row;\n    int fired[RULES] = {0};\n");
    body.push_str(if nearest { "    int unmet[RULES];\n    int fewest;\n" } else { "" });
    body.push_str("    int count = 0, agree = 1, i;\n");
    body.push_str(match program.policy.conflict {
        Conflict::Majority => "    unsigned long long votes[LABELS] = {0};\n    int best = 0;\n",
        Conflict::Size | Conflict::Precision | Conflict::Order => "    int best;\n",
        Conflict::Abstain => "",
    });
    body.push('\n');
    let numbers = program.columns.iter().zip(members).filter(|(column, _)| column.numeric);
    let finite: String =
        numbers.map(|(c, m)| format!("    r.{m} = {} ? r.{m} : NAN;\n", counts(c, m))).collect();
    if !finite.is_empty() {
        body.push_str(&format!("    /* What is no finite number counts as missing. */\n{finite}\n"));
    }
    if nearest {
        body.push_str(NEAREST);
    } else {
        body.push_str(FIRED);
        body.push_str(&format!("    if (count == 0) {{\n        return {label};\n    }}\n"));
    }
    body.push_str(AGREE);
    body.push_str(&match program.policy.conflict {
        Conflict::Majority => MAJORITY.to_string(),
        Conflict::Size | Conflict::Precision | Conflict::Order => {
            STRONGEST.replace("strength", program.strength())
        }
        Conflict::Abstain => "    return NULL;\n".to_string(),
    });
    format!("{head}{body}}}\n")
}

fn main(program: &Program, members: &[String]) -> String {
    let names: Vec<String> =
        program.columns.iter().map(|column| format!("    {},\n", string(column.name))).collect();
    let values = program.columns.iter().zip(members).enumerate().map(|(i, (column, member))| {
        let value = match (column.count(), column.numeric, program.decimal_comma()) {
            (Some(count), ..) => format!("{}(values[{i}])", count.function),
            (None, true, true) => format!("comma(values[{i}])"),
            (None, true, false) => format!("number(values[{i}])"),
            (None, false, _) => format!("values[{i}]"),
        };
        format!("        row.{member} = {value};\n")
    });
    let mut values: String = values.collect();
    if values.is_empty() {
        values.push_str("        (void)values;\n        row.unused = 0;\n");
    }
    let numeric = program.columns.iter().any(|column| column.numeric && column.kind.is_plain());
    let number = if numeric { NUMBER } else { "" };
    let comma = if numeric && program.decimal_comma() { COMMA } else { "" };
    format!("{MAIN_HEAD}{}{MAIN_FIELDS}{number}{comma}{MAIN_BODY}{values}{MAIN_END}", names.concat())
}

/// A string literal. What is no plain letter of ASCII goes in octal, which means the same in every
/// locale and, unlike hexadecimal, ends after three digits.
fn string(text: &str) -> String {
    let mut literal = String::from("\"");
    let mut previous = ' ';
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            // Two of them begin a trigraph.
            '?' if previous == '?' => literal.push_str("\\?"),
            _ if is_plain(c) && (c.is_ascii() || c.is_alphabetic()) => literal.push(c),
            _ => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    literal.push_str(&format!("\\{byte:03o}"));
                }
            }
        }
        previous = c;
    }
    literal.push('"');
    literal
}

/// Text that neither ends a comment, nor begins another, nor is a trigraph.
fn comment(text: &str) -> String {
    let mut safe = String::new();
    for c in one_line(text).chars() {
        let breaks = match safe.chars().last() {
            Some('*') => c == '/',
            Some('/') => c == '*',
            Some('?') => c == '?',
            _ => false,
        };
        safe.extend(breaks.then_some(' '));
        safe.push(c);
    }
    safe
}

const USE: &str = r#" *
 * C99. With MINRULE_MAIN defined it is a program that reads a table with column names from
 * standard input and prints the class of each row, or an empty line:
 *
 *     cc -std=c99 -DMINRULE_MAIN -o rules rules.c && ./rules < table.csv
 */

#include <math.h>
#include <stddef.h>
#include <string.h>
"#;

const MOMENT: &str = r#"
/* The next so many digits as a number; -1 if there are fewer. */
static int take(const char **at, int digits)
{
    int n = 0;

    for (; digits > 0; digits--, ++*at) {
        if (**at < '0' || **at > '9') {
            return -1;
        }
        n = 10 * n + (**at - '0');
    }
    return n;
}

/* Whether one of these characters is next; it is skipped. */
static int skip(const char **at, const char *any)
{
    int found = **at != '\0' && strchr(any, **at) != NULL;

    *at += found;
    return found;
}

/* Days or microseconds since 1970 of a date or time in ISO 8601, with or without an offset. */
static double moment(const char *text, int in_days, int with_offset)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    const long long day_long = 86400000000LL, exact = 9007199254740991LL;
    const char *at = text == NULL ? "" : text;
    int year = take(&at, 4);
    int month = skip(&at, "-") ? take(&at, 2) : 0;
    int day = skip(&at, "-") ? take(&at, 2) : 0;
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int hour = 0, minute = 0, second = 0, sign = 0, hours = 0, minutes = 0, has_time, blank;
    long long micros, unit = 100000, decimals = 0;

    if (year < 1 || month < 1 || month > 12 || day < 1
        || day > before[month] - before[month - 1] + (leap && month == 2)) {
        return NAN;
    }
    micros = 365LL * (year - 1) + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 719162;
    micros = (micros + before[month - 1] + (leap && month > 2) + day - 1) * day_long;
    has_time = skip(&at, "Tt ");
    if (has_time) {
        hour = take(&at, 2);
        minute = skip(&at, ":") ? take(&at, 2) : -1;
        if (skip(&at, ":")) {
            second = take(&at, 2);
            if (skip(&at, ".,")) {
                /* What is less than a microsecond is cut off. */
                second = *at >= '0' && *at <= '9' ? second : -1;
                for (; *at >= '0' && *at <= '9'; at++, unit /= 10) {
                    decimals += (*at - '0') * unit;
                }
            }
        }
        blank = skip(&at, " ");
        if (*at == '+' || *at == '-') {
            sign = *at++ == '-' ? -1 : 1;
            hours = take(&at, 2);
            minutes = skip(&at, ":") || *at != '\0' ? take(&at, 2) : 0;
        } else if (skip(&at, "Zz")) {
            sign = 1;
        } else if (blank) {
            return NAN;
        }
        micros += ((hour * 60 + minute) * 60LL + second) * 1000000 + decimals;
        micros -= sign * (hours * 60 + minutes) * 60000000LL;
    }
    if (*at != '\0' || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0
        || second > 59 || hours < 0 || hours > 23 || minutes < 0 || minutes > 59
        || (sign != 0) != with_offset) {
        return NAN;
    }
    if ((has_time || !in_days) && (micros >= exact || micros <= -exact)) {
        return NAN;
    }
    if (in_days) {
        return micros % day_long == 0 ? (double)(micros / day_long) : NAN;
    }
    return (double)micros;
}
"#;

const IS: &str = r#"
static int is(const char *text, const char *value)
{
    return text != NULL && strcmp(text, value) == 0;
}
"#;

const IS_MISSING: &str = r#"
/* NULL, nothing, "?", "NA" and "nan", whatever the case of the letters. */
static int is_missing(const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    size_t i;

    if (length == 1) {
        return text[0] == '?';
    }
    if (length > 3) {
        return 0;
    }
    for (i = 0; i < length; i++) {
        if (strchr(i == 1 ? "aA" : "nN", text[i]) == NULL) {
            return 0;
        }
    }
    return 1;
}
"#;

const FIRED: &str = r#"    for (i = 0; i < RULES; i++) {
        if (rules[i].fires(&r)) {
            fired[count++] = i;
        }
    }
"#;

const NEAREST: &str = r#"    for (i = 0; i < RULES; i++) {
        unmet[i] = rules[i].unmet(&r);
    }
    fewest = unmet[0];
    for (i = 1; i < RULES; i++) {
        fewest = unmet[i] < fewest ? unmet[i] : fewest;
    }
    for (i = 0; i < RULES; i++) {
        if (unmet[i] == fewest) {
            fired[count++] = i;
        }
    }
"#;

const AGREE: &str = r#"    for (i = 1; i < count; i++) {
        agree = agree && rules[fired[i]].then == rules[fired[0]].then;
    }
    if (agree) {
        return labels[rules[fired[0]].then];
    }
"#;

const MAJORITY: &str = r#"    for (i = 0; i < count; i++) {
        votes[rules[fired[i]].then] += rules[fired[i]].covers;
    }
    for (i = 1; i < LABELS; i++) {
        best = votes[i] > votes[best] ? i : best;
    }
    return labels[best];
"#;

const STRONGEST: &str = r#"    best = fired[0];
    for (i = 1; i < count; i++) {
        int next = fired[i];
        if (rules[next].strength != rules[best].strength) {
            best = rules[next].strength > rules[best].strength ? next : best;
        } else if (rules[next].covers != rules[best].covers) {
            best = rules[next].covers > rules[best].covers ? next : best;
        } else {
            best = rules[next].then < rules[best].then ? next : best;
        }
    }
    return labels[rules[best].then];
"#;

const MAIN_HEAD: &str = r#"
#ifdef MINRULE_MAIN

#include <stdio.h>
#include <stdlib.h>

static const char *const columns[] = {
"#;

const MAIN_FIELDS: &str = r#"    NULL
};

static char *read_all(void)
{
    size_t size = 1 << 16, length = 0;
    char *text = malloc(size);

    while (text != NULL) {
        length += fread(text + length, 1, size - length - 1, stdin);
        if (length < size - 1) {
            text[length] = '\0';
            return text;
        }
        size *= 2;
        text = realloc(text, size);
    }
    fputs("out of memory\n", stderr);
    exit(1);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* The next field of a CSV text, without the blanks around it; last is set at the end of a line. */
static char *read_field(char **text, int *last)
{
    char *field = *text, *from = *text, *to = *text;

    if (*from == '"') {
        from++;
        while (*from != '\0') {
            if (*from == '"') {
                from++;
                if (*from != '"') {
                    break;
                }
            }
            *to++ = *from++;
        }
    }
    while (*from != '\0' && *from != ',' && *from != '\n' && *from != '\r') {
        *to++ = *from++;
    }
    *last = *from != ',';
    *text = *from == '\0' ? from : from + 1;
    while (to > field && is_blank(to[-1])) {
        to--;
    }
    *to = '\0';
    while (is_blank(*field)) {
        field++;
    }
    return field;
}

static void print_class(const char *label)
{
    label = label == NULL ? "" : label;
    if (strpbrk(label, ",\"\n\r") == NULL) {
        puts(label);
        return;
    }
    putchar('"');
    for (; *label != '\0'; label++) {
        if (*label == '"') {
            putchar('"');
        }
        putchar(*label);
    }
    puts("\"");
}
"#;

const NUMBER: &str = r#"
static const char *digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* A decimal number; NAN for anything else that strtod would take. */
static double number(const char *text)
{
    const char *start = text + (*text == '+' || *text == '-');
    const char *end = digits(start);
    int some = end > start;

    if (*end == '.') {
        start = end + 1;
        end = digits(start);
        some = some || end > start;
    }
    if (some && (*end == 'e' || *end == 'E')) {
        start = end + 1;
        start += *start == '+' || *start == '-';
        end = digits(start);
        some = end > start;
    }
    return some && *end == '\0' ? strtod(text, NULL) : NAN;
}
"#;

const COMMA: &str = r#"
/* The same with decimals after a comma. */
static double comma(const char *text)
{
    char plain[512];
    char *mark;

    if (strlen(text) >= sizeof plain || strchr(text, '.') != NULL) {
        return NAN;
    }
    strcpy(plain, text);
    mark = strchr(plain, ',');
    if (mark != NULL) {
        *mark = '.';
    }
    return number(plain);
}
"#;

const MAIN_BODY: &str = r#"
int main(void)
{
    enum { COLUMNS = sizeof columns / sizeof columns[0] - 1 };
    const char *values[COLUMNS + 1] = {NULL};
    int at[COLUMNS + 1] = {0};
    char *text = read_all(), name[32];
    int width = 0, line, last, i;

    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
    }
    for (line = 0;; line++) {
        struct row row;
        int field = 0;
        /* A line with nothing on it is no row. */
        text += strspn(text, "\r\n");
        if (*text == '\0') {
            return 0;
        }
        do {
            const char *value = read_field(&text, &last);
            field++;
            if (line == 0 && *value == '\0') {
                snprintf(name, sizeof name, "column %d", field);
                value = name;
            }
            for (i = 0; columns[i] != NULL; i++) {
                if (line == 0 && strcmp(columns[i], value) == 0) {
                    at[i] = field;
                } else if (line > 0 && at[i] == field) {
                    values[i] = value;
                }
            }
        } while (!last);
        width = line == 0 ? field : width;
        if (field != width) {
            fprintf(stderr, "row %d: %d fields, not %d\n", line, field, width);
            return 1;
        }
        for (i = 0; line == 0 && columns[i] != NULL; i++) {
            if (at[i] == 0) {
                fprintf(stderr, "the table has no column \"%s\"\n", columns[i]);
                return 1;
            }
        }
        if (line == 0) {
            continue;
        }
"#;

const MAIN_END: &str = r#"        print_class(predict(&row));
    }
}

#endif
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(string("a \"b\" \\ \n"), r#""a \"b\" \\ \n""#);
        assert_eq!(string("why??/"), r#""why?\?/""#);
        assert_eq!(string("é€1\r"), r#""é\342\202\2541\015""#);
    }

    #[test]
    fn comments_stay_comments() {
        assert_eq!(comment("a */ b /* c ??/ \n"), r"a * / b / * c ? ?/ \n");
        assert_eq!(comment("/*/"), "/ * /");
    }
}
