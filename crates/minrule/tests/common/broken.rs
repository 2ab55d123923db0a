//! Certificates that are not what they were.

/// Another text: a bound raised, a number changed, a line or a word lost, twice or elsewhere.
///
/// The heading, so many lines before the bound, is no part of the argument and stays.
pub fn break_somewhere(text: &str, heading: usize, random: &mut fastrand::Rng) -> String {
    loop {
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        let line = random.usize(heading..lines.len());
        match random.u8(0..6) {
            0 => lines[heading] = raised(&lines[heading], random),
            1 | 2 => lines[line] = number_changed(&lines[line], random),
            3 => {
                lines.remove(line);
            }
            4 => {
                let other = random.usize(heading..lines.len());
                lines.swap(line, other);
            }
            _ => {
                let mut words: Vec<&str> = lines[line].split(' ').collect();
                words.remove(random.usize(0..words.len()));
                lines[line] = words.join(" ");
            }
        }
        let broken = lines.join("\n") + "\n";
        if broken != text {
            return broken;
        }
    }
}

fn raised(line: &str, random: &mut fastrand::Rng) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let last = words.len() - 1;
    if let Ok(number) = words[last].parse::<u64>() {
        words[last] = (number + random.u64(1..4)).to_string();
    }
    words.join(" ")
}

fn number_changed(line: &str, random: &mut fastrand::Rng) -> String {
    let digits = |c: char| c.is_ascii_digit();
    let starts: Vec<usize> = line
        .char_indices()
        .filter(|&(i, c)| digits(c) && !line[..i].ends_with(digits))
        .map(|(i, _)| i)
        .collect();
    let Some(&start) = starts.get(random.usize(0..starts.len().max(1))) else { return line.to_string() };
    let end = line[start..].find(|c| !digits(c)).map_or(line.len(), |length| start + length);
    let Ok(number) = line[start..end].parse::<u64>() else { return line.to_string() };
    let other = match random.u8(0..4) {
        0 => number.saturating_add(1),
        1 => number.saturating_sub(1),
        2 => number.saturating_mul(2),
        _ => random.u64(0..20),
    };
    format!("{}{other}{}", &line[..start], &line[end..])
}
