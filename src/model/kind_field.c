/// Fields: *.field.json.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "field/document.h"
#include "field/field.h"
#include "model/model.h"

static void say_growth(fo_model *m)
{
    double longest, rate = foi_field_growth(m->field->field, &longest);
    char text[200], which[60] = "all waves";
    if (!(rate > 0)) return;
    if (isfinite(longest)) snprintf(which, sizeof which, "waves shorter than %.3g m", longest);
    snprintf(text, sizeof text,
             "b2 is negative, which feeds energy in: %s grow, the shortest of this grid by "
             "exp(%.3g t)",
             which, rate);
    foi_model_add_finding(m, &(fo_finding){.severity = FO_SEVERITY_WARNING, .text = text}, NULL);
}

static void take(fo_model *m)
{
    const foi_field_document *d = m->field;
    m->system = fo_field_system(d->field);
    m->experiment = d->experiment;
    if (m->experiment.plot && !m->experiment.plot[0]) m->experiment.plot = NULL;
    m->few_rows = m->experiment.plot; // the nodes of a field are too many: its probes
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    char *text;
    foi_json *json = foi_model_document(m, def, &text, why);
    if (json) {
        m->field = foi_field_document_with(json, &m->numbers, m->allocator, why);
        if (!m->field) foi_model_take_message(m, why, def->text ? def->text : text);
    }
    foi_model_settings_taken(m);
    foi_json_destroy(json);
    foi_free(m->allocator, text);
    if (!m->field) return why->status;
    take(m);
    say_growth(m);
    return FO_OK;
}

const foi_model_kind foi_kind_field = {.name = "field",
                                       .about = "a document *.field.json",
                                       .ending = ".field.json",
                                       .open = open,
                                       .describe = foi_describe_json};
