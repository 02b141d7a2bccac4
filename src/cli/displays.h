/// What the Displays of a diagram show: their inputs as numbers.
#ifndef CLI_DISPLAYS_H
#define CLI_DISPLAYS_H

#include <foliot/foliot.h>
#include <pthread.h>

typedef struct displays {
    fo_diagram_seen *list;
    size_t list_count;
    fo_reference *signals; ///< all elements of all of them
    double *values;        ///< the last ones
    size_t count;
    bool any; ///< there are values
    pthread_mutex_t lock;
} displays;

/// Those of a model, none where it is no diagram. False without memory.
bool displays_make(displays *d, const fo_model *m);
/// Takes one that is all zeros.
void displays_free(displays *d);
/// Takes the values of now.
void displays_read(displays *d, fo_simulation *sim);
/// Takes those of rows, for somebody who looks from another thread.
fo_observer displays_observer(displays *d, double interval);
/// "speed = 3, both = [1 2; 3-1i 4]". Empty where there is nothing.
void displays_text(displays *d, int digits, char *text, size_t size);

#endif
