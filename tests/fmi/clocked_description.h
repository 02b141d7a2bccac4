/// What the binary clocked.c is.
#ifndef TEST_CLOCKED_DESCRIPTION_H
#define TEST_CLOCKED_DESCRIPTION_H

static const char clocked_description[] =
    "<?xml version='1.0'?>\n"
    "<fmiModelDescription fmiVersion='3.0' modelName='clocked' instantiationToken='x'>\n"
    "<CoSimulation modelIdentifier='unit' hasEventMode='true' mightReturnEarlyFromDoStep='true' "
    "canHandleVariableCommunicationStepSize='true'/>\n"
    "<ScheduledExecution modelIdentifier='unit'/>\n"
    "<DefaultExperiment startTime='0' stopTime='4' stepSize='0.4'/>\n"
    "<ModelVariables>\n"
    "<Float64 name='time' valueReference='0' causality='independent' variability='continuous'/>\n"
    "<Float64 name='y' valueReference='1' causality='output'/>\n"
    "<Clock name='c1' valueReference='11' causality='input' intervalVariability='constant' "
    "intervalCounter='3' shiftCounter='1' resolution='4' priority='5'/>\n"
    "<Clock name='c2' valueReference='12' causality='input' intervalVariability='triggered'/>\n"
    "<Clock name='c3' valueReference='13' causality='input' intervalVariability='countdown' "
    "priority='1'/>\n"
    "<Int32 name='n1' valueReference='21' causality='output'/>\n"
    "<Int32 name='n2' valueReference='22' causality='output'/>\n"
    "<Int32 name='n3' valueReference='23' causality='output'/>\n"
    "<Int32 name='order' valueReference='24' causality='output'/>\n"
    "<Int32 name='gain' valueReference='25' causality='input' start='0'/>\n"
    "<String name='greeting' valueReference='31' causality='parameter'><Start value='hello'/>"
    "</String>\n"
    "<String name='said' valueReference='32' causality='output'/>\n"
    "<Binary name='key' valueReference='33' causality='input'><Start value='00'/></Binary>\n"
    "<Binary name='lock' valueReference='34' causality='output'/>\n"
    "</ModelVariables>\n<ModelStructure><Output valueReference='1'/></ModelStructure>\n"
    "</fmiModelDescription>\n";

#endif
