#include "base/text.h"

#include <string.h>

#include "test.h"

TEST(distances_count_single_changes)
{
    CHECK_INT(foi_edit_distance("", ""), 0);
    CHECK_INT(foi_edit_distance("dp45", "dp45"), 0);
    CHECK_INT(foi_edit_distance("dp45", "DP45"), 0);
    CHECK_INT(foi_edit_distance("", "abc"), 3);
    CHECK_INT(foi_edit_distance("abc", ""), 3);
    CHECK_INT(foi_edit_distance("kitten", "sitting"), 3);
    CHECK_INT(foi_edit_distance("radau5", "raduu5"), 1);
    CHECK_INT(foi_edit_distance("dp45", "dp54"), 1);
    CHECK_INT(foi_edit_distance("ca", "abc"), 3); // optimal alignment: no letter is moved twice
}

TEST(distances_are_symmetric_and_bounded)
{
    const char *words[] = {"height", "heigth", "weight", "h", "velocity", "eight", "hei", ""};
    for (size_t i = 0; i < FO_COUNT(words); i++)
        for (size_t j = 0; j < FO_COUNT(words); j++) {
            int distance = foi_edit_distance(words[i], words[j]);
            size_t a = strlen(words[i]), b = strlen(words[j]);
            CHECK_INT(distance, foi_edit_distance(words[j], words[i]));
            CHECK((distance == 0) == (i == j));
            CHECK(distance <= (int)(a > b ? a : b));
        }
}

TEST(long_texts_are_safe)
{
    char a[500], b[500];
    memset(a, 'a', sizeof a), memset(b, 'b', sizeof b);
    a[499] = b[499] = 0;
    CHECK_INT(foi_edit_distance(a, b), 63);
    foi_nearest n = foi_nearest_to(a);
    foi_nearest_try(&n, b);
    CHECK_TEXT(foi_nearest_hint(&n), "");
    foi_nearest_try(&n, a);
    CHECK_CONTAINS(foi_nearest_hint(&n), "did you mean 'aaa");
}

static const char *hint_for(const char *wanted, foi_nearest *n)
{
    static const char *const names[] = {"euler", "rk4", "dp45", "dop853", "radau5", "pendulum"};
    *n = foi_nearest_to(wanted);
    for (size_t i = 0; i < FO_COUNT(names); i++) foi_nearest_try(n, names[i]);
    return foi_nearest_hint(n);
}

TEST(the_nearest_name_is_offered)
{
    foi_nearest n;
    CHECK_TEXT(hint_for("eular", &n), "; did you mean 'euler'?");
    CHECK_TEXT(hint_for("DP45", &n), "; did you mean 'dp45'?");
    CHECK_TEXT(hint_for("raudau5", &n), "; did you mean 'radau5'?");
    CHECK_TEXT(hint_for("pend", &n), "; did you mean 'pendulum'?");
    CHECK_TEXT(hint_for("temperature", &n), "");
    CHECK_TEXT(hint_for("", &n), "");
    foi_nearest none = foi_nearest_to("x");
    CHECK_TEXT(foi_nearest_hint(&none), "");
}

TEST(blanks_in_subscripts_do_not_part_names)
{
    CHECK(foi_one_name("r[1,2].x", "r[1, 2].x"));
    CHECK(foi_one_name("r[ 1,2].x[3]", "r[1,  2].x[ 3]"));
    CHECK(foi_one_name("", "") && foi_one_name("a]b", "a]b") && foi_one_name("a[", "a[ "));
    CHECK(!foi_one_name("r[1,2].x", "r[1,3].x") && !foi_one_name("'v[1 2]'", "'v[12]'"));
    CHECK(!foi_one_name("r[1,2]", "r[1,2].x") && !foi_one_name("r [1]", "r[1]"));
    CHECK(!foi_one_name("a b", "ab") && !foi_one_name("a] b", "a]b"));
}

TEST_MAIN(TEST_ENTRY(distances_count_single_changes),
          TEST_ENTRY(distances_are_symmetric_and_bounded), TEST_ENTRY(long_texts_are_safe),
          TEST_ENTRY(the_nearest_name_is_offered),
          TEST_ENTRY(blanks_in_subscripts_do_not_part_names))
