/// A unit has its own model and no gallery.
#include <foliot/model.h>

fo_model_table fo_compiled_models(void)
{
    return (fo_model_table){0};
}
