/// Words that many node descriptions share.
#ifndef FOI_NODE_DOC_H
#define FOI_NODE_DOC_H

#define PROPERTIES(types_, feedthrough_, sample_, expansion_, dimensions_)                    \
    .types = types_, .feedthrough = feedthrough_, .sample = sample_, .expansion = expansion_, \
    .dimensions = dimensions_

#define REAL_ONLY       "real"
#define REAL_OR_COMPLEX "real, complex"
#define ANY_TYPE        "real, complex, boolean"
#define INHERITED       "inherited: that of the fastest driver"
#define CONTINUOUS      "continuous"
#define DISCRETE        "discrete: the parameter Sample Time"
#define SUPPORTED       "inputs and parameters: single numbers stand for every element"
#define NOT_SUPPORTED   "not supported"
#define NOT_APPLICABLE  "not applicable"
#define ANY_DIMENSION   "single number, vector, matrix"
#define NO_PARAMETERS   ((const foi_parameter[]){{0}})
#define SAMPLE_TIME                                                              \
    {                                                                            \
        "Sample Time", FOI_PARAMETER_SAMPLE, "1", NULL,                          \
            "the time between updates of the output [s]; a multiple of the step" \
    }

#endif
