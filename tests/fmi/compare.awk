# compare.awk: the largest difference of two tables of rows, relative to each column's largest value.
#
#   awk -f compare.awk -v span=10 direct.csv other.csv      prints: <difference> <values> <worst column> <at>
#
# Columns are matched by name, rows by time up to rounding. An instant that only one of them has is passed over:
# tools differ in which events they show. At an event the first table has several rows, and the other one may
# have the value of any of them: what counts is the distance from the band between the least and the largest.
# With tube=1 the band reaches over the neighbouring rows, too: solvers do not agree about the time of an event
# to the last digit, and a row may lie between. 17 digits do not fit every writer, so that equal bits show as
# some 1e-16. A column whose truth is zero has nothing but rounding errors: no column's scale is less than a
# millionth of the largest one's.
function number(text)
{
    gsub(/"/, "", text)
    return text ~ /^[Tt]rue$/ ? 1 : text ~ /^[Ff]alse$/ ? 0 : text + 0
}
function size(x) { return x < 0 ? -x : x }
function distance(v, r, i,    k, lo, hi)
{
    lo = low[r, i]; hi = high[r, i]
    for (k = r - tube; k <= r + tube; k++) {
        if (k < 1 || k > rows[1]) continue
        if (low[k, i] < lo) lo = low[k, i]
        if (high[k, i] > hi) hi = high[k, i]
    }
    return v < lo ? lo - v : v > hi ? v - hi : 0
}
# The names of a header, in which a comma may stand in quotes.
function names(line, list,    n, i, c, quoted)
{
    n = 1; list[1] = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) list[++n] = ""
        else if (c != "\r") list[n] = list[n] c
    }
    return n
}
FNR == 1 {
    file++
    n = names($0, header)
    for (i = 1; i <= n; i++) { at[file, header[i]] = i; if (file == 1) name[i] = header[i] }
    if (file == 1) columns = n
    next
}
{
    t = number($1)
    first = !(rows[file] && size(t - time[file, rows[file]]) <= slack)
    row = first ? ++rows[file] : rows[file]
    if (first) time[file, row] = t
    for (i = 2; i <= NF; i++) {
        v = number($i)
        if (file == 2) { value[row, i] = v; continue }
        if (first || v < low[row, i]) low[row, i] = v
        if (first || v > high[row, i]) high[row, i] = v
        if (size(v) > scale[i]) scale[i] = size(v)
    }
}
BEGIN { FS = ","; slack = 1e-9 * span; tube = tube + 0; worst = 0; count = 0; when = 0 }
END {
    for (i = 2; i <= columns; i++) if (scale[i] > largest) largest = scale[i]
    for (i = 2; i <= columns; i++) if (scale[i] < 1e-6 * largest) scale[i] = 1e-6 * largest
    s = 1
    for (r = 1; r <= rows[1]; r++) {
        while (s < rows[2] && time[2, s] < time[1, r] - slack) s++
        if (size(time[2, s] - time[1, r]) > slack) continue
        for (i = 2; i <= columns; i++) {
            if (!((2, name[i]) in at) || (ignore != "" && name[i] ~ ignore)) continue
            count++
            e = distance(value[s, at[2, name[i]]], r, i) / (scale[i] > 0 ? scale[i] : 1)
            if (!(e <= worst)) { worst = e; column = name[i]; when = time[1, r] }
        }
    }
    printf "%.2g %d %s %.9g\n", worst, count, column == "" ? "-" : column, when
}
