// Prints the hash of every function: one program for every compiler and machine (see everywhere).
#include <stdio.h>

#include "hash.h"

int main(void)
{
    for (int i = 0; i < SUBJECTS; i++)
        printf("%s %016llx\n", subjects[i].name, (unsigned long long)hash_of(&subjects[i], HASHED));
    return 0;
}
