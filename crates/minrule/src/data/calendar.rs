//! Dates and times as whole numbers: days, and microseconds, since the beginning of 1970.
//!
//! Only ISO 8601 is read: `2021-03-01`, and with a time `2021-03-01T12:30`, seconds, decimals of them and an offset
//! from UTC (`Z`, `+01:00`) added as one likes; a blank may stand for the `T`. Everything else can be meant in several
//! ways. Microseconds are whole numbers that floats hold exactly from 1684 to 2255.

const DAY: i64 = 86_400_000_000;

/// Whole numbers below this are floats without loss, and so are their successors.
const EXACT: i64 = (1 << 53) - 1;

/// A date or a time as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Microseconds since 1970, in UTC if there is an offset.
    pub(crate) micros: i64,
    /// Whether it says a time.
    pub(crate) has_time: bool,
    /// Whether it says an offset from UTC.
    pub(crate) has_offset: bool,
}

impl Moment {
    /// Reads a text; nothing if it is none.
    pub(crate) fn new(text: &str) -> Option<Moment> {
        let (date, rest) = text.split_at_checked(10)?;
        let day = day(date)?;
        let mut moment = Moment { micros: day * DAY, has_time: false, has_offset: false };
        if rest.is_empty() {
            return Some(moment);
        }
        let rest = rest.strip_prefix(['T', 't', ' '])?;
        let end = rest.find(['Z', 'z', '+', '-', ' ']).unwrap_or(rest.len());
        let (clock, offset) = rest.split_at(end);
        moment.micros += time_of_day(clock)?;
        moment.has_time = true;
        if !offset.is_empty() {
            let offset = offset.strip_prefix(' ').unwrap_or(offset);
            moment.micros -= minutes_from_utc(offset)? * 60_000_000;
            moment.has_offset = true;
        }
        moment.is_exact().then_some(moment)
    }

    /// Whether its microseconds are a float without loss.
    pub(crate) fn is_exact(self) -> bool {
        self.micros.abs() < EXACT
    }

    /// The day that it begins, if it begins one and says no offset.
    pub(crate) fn whole_day(self) -> Option<i64> {
        (self.micros % DAY == 0 && !self.has_offset).then_some(self.micros / DAY)
    }
}

/// So many digits as a number.
fn digits(text: &str, length: usize) -> Option<i64> {
    let fits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

fn day(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let (month, day) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let days = days_from_civil(year, month, day);
    // A day that there is not, such as February 30, comes back as another.
    (year > 0 && (1..=12).contains(&month) && civil_from_days(days) == (year, month, day))
        .then_some(days)
}

fn time_of_day(clock: &str) -> Option<i64> {
    let mut parts = clock.splitn(3, ':');
    let (hours, minutes) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let (seconds, micros) = match parts.next() {
        None => (0, 0),
        Some(seconds) => {
            let (whole, decimals) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
            if decimals.is_empty() || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            // What is less than a microsecond is cut off.
            (digits(whole, 2)?, digits(&format!("{decimals:0<6}")[..6], 6)?)
        }
    };
    let in_range = hours < 24 && minutes < 60 && seconds < 60;
    in_range.then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros)
}

fn minutes_from_utc(offset: &str) -> Option<i64> {
    if offset.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let ahead = if offset.starts_with('-') { -1 } else { 1 };
    let clock = offset.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match clock.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if clock.len() == 4 => clock.split_at_checked(2)?,
        None => (clock, "00"),
    };
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(ahead * (hours * 60 + minutes))
}

/// Days since 1970 of a date of the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date
/// algorithms"): years begin in March, so that leap days come last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The year, month and day.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// A number as a whole one, if it is exactly that.
fn whole(x: f64) -> Option<i64> {
    (x.fract() == 0.0 && x.abs() < EXACT as f64).then_some(x as i64)
}

/// A day as it is written; nothing if the number is none.
pub(crate) fn date_text(days: f64) -> Option<String> {
    day_text(whole(days)?)
}

/// A time as it is written, but for an offset; nothing if the number is none.
pub(crate) fn time_text(micros: f64) -> Option<String> {
    moment_text(whole(micros)?)
}

/// A day of a four-digit year as it is written.
pub(crate) fn day_text(days: i64) -> Option<String> {
    // No day outside is near these; the algorithm counts some days more.
    let (year, month, day) = Some(days).filter(|days| days.abs() < 1 << 32).map(civil_from_days)?;
    (1..10_000).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// A time of a four-digit year as it is written, but for an offset.
pub(crate) fn moment_text(micros: i64) -> Option<String> {
    let date = day_text(micros.div_euclid(DAY))?;
    let (seconds, decimals) = (micros.rem_euclid(DAY) / 1_000_000, micros.rem_euclid(1_000_000));
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{date}T{hours:02}:{minutes:02}:{seconds:02}");
    if decimals > 0 {
        text.push_str(format!(".{decimals:06}").trim_end_matches('0'));
    }
    Some(text)
}

/// The roundest day above one number and up to another: the first of a year, of a month, or any; of equally round ones the
/// nearest to the middle.
pub(crate) fn round_day(above: f64, up_to: f64) -> f64 {
    let middle = (above / 2.0 + up_to / 2.0).ceil();
    let known = whole(middle).filter(|&day| day_text(day).is_some());
    let Some(at) = known else { return middle };
    let (year, month, _) = civil_from_days(at);
    let first = |year: i64, month: i64| days_from_civil(year, month, 1) as f64;
    let years = [first(year, 1), first(year + 1, 1)];
    let months = [first(year, month), first(year + (month == 12) as i64, month % 12 + 1)];
    nearest(&years, (above, up_to), middle)
        .or_else(|| nearest(&months, (above, up_to), middle))
        .unwrap_or(middle)
}

/// The same of times: a round day, or else a full hour, minute or second.
pub(crate) fn round_time(above: f64, up_to: f64) -> f64 {
    let day = DAY as f64;
    let (first, last) = ((above / day).floor(), (up_to / day).floor());
    if first < last {
        return round_day(first, last) * day;
    }
    let middle = (above / 2.0 + up_to / 2.0).ceil();
    let multiples = |unit: f64| [(middle / unit).floor() * unit, (middle / unit).ceil() * unit];
    let units = [3600e6, 60e6, 1e6, 1e3];
    units.iter().find_map(|unit| nearest(&multiples(*unit), (above, up_to), middle)).unwrap_or(middle)
}

fn nearest(candidates: &[f64], (above, up_to): (f64, f64), middle: f64) -> Option<f64> {
    let inside = candidates.iter().copied().filter(|x| above < *x && *x <= up_to);
    inside.min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(text: &str) -> Option<i64> {
        Moment::new(text).map(|moment| moment.micros)
    }

    #[test]
    fn every_day_has_its_number() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2021, 3, 1), 18_687);
        assert_eq!(date_text(-1.0).as_deref(), Some("1969-12-31"));
        let mut expected = days_from_civil(1, 1, 1);
        for year in 1..10_000 {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if leap { 29 } else { 28 };
            for (month, days) in (1..).zip([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                for day in [1, 15, days] {
                    let n = days_from_civil(year, month, day);
                    assert_eq!(n, expected + day - 1);
                    assert_eq!(civil_from_days(n), (year, month, day));
                }
                expected += days;
                let text = format!("{year:04}-{month:02}-{:02}", days + 1);
                assert_eq!(Moment::new(&text), None, "{text}");
            }
        }
    }

    #[test]
    fn times_are_read_and_written() {
        let noon = 18_687 * DAY + DAY / 2;
        for text in [
            "2021-03-01T12:00",
            "2021-03-01 12:00:00",
            "2021-03-01T12:00:00.000",
            "2021-03-01T12:00:00Z",
            "2021-03-01T13:30:00+01:30",
            "2021-03-01 07:00:00-0500",
            "2021-03-01T12:00:00.000000000+00",
        ] {
            assert_eq!(micros(text), Some(noon), "{text}");
        }
        assert_eq!(micros("2021-03-01T12:00:00.25"), Some(noon + 250_000));
        assert_eq!(time_text((noon + 250_000) as f64).as_deref(), Some("2021-03-01T12:00:00.25"));
        assert_eq!(time_text(-1.0).as_deref(), Some("1969-12-31T23:59:59.999999"));
        assert!(Moment::new("2021-03-01T12:00Z").is_some_and(|moment| moment.has_offset));
        for text in [
            "",
            "2021-03",
            "2021-3-1",
            "2021-02-30",
            "2021-13-01",
            "2021-00-10",
            "2021-03-01T",
            "2021-03-01T12",
            "2021-03-01T24:00",
            "2021-03-01T12:60",
            "2021-03-01T12:00:60",
            "2021-03-01T12:00:00.12x",
            "2021-03-01T12:00:00.",
            "2021-03-01x12:00",
            "2021-03-01T12:00+25:00",
            "21-03-01",
            "2021/03/01",
            "0000-01-01",
            "2021-03-01T12:00 ",
            "9000-01-01T00:00",
            "2021-03-0é",
        ] {
            assert_eq!(Moment::new(text), None, "{text}");
        }
        assert_eq!(date_text(0.5), None);
        assert_eq!(date_text(1e12), None);
    }

    #[test]
    fn cuts_fall_on_round_days_and_hours() {
        let day = |text: &str| (micros(text).unwrap() / DAY) as f64;
        let cut = |a: &str, b: &str| date_text(round_day(day(a), day(b))).unwrap();
        assert_eq!(cut("2020-11-20", "2021-02-10"), "2021-01-01");
        assert_eq!(cut("2021-02-20", "2021-03-10"), "2021-03-01");
        assert_eq!(cut("2021-02-20", "2021-02-24"), "2021-02-22");
        assert_eq!(cut("2021-02-28", "2021-03-01"), "2021-03-01");
        let time = |a: &str, b: &str| {
            time_text(round_time(micros(a).unwrap() as f64, micros(b).unwrap() as f64)).unwrap()
        };
        assert_eq!(time("2021-02-20T23:00", "2021-03-10T01:00"), "2021-03-01T00:00:00");
        assert_eq!(time("2021-02-20T09:10", "2021-02-20T11:20"), "2021-02-20T10:00:00");
        assert_eq!(time("2021-02-20T09:10", "2021-02-20T09:20"), "2021-02-20T09:15:00");
        assert_eq!(time("2021-02-20T09:10:00", "2021-02-20T09:10:01"), "2021-02-20T09:10:01");
    }
}
