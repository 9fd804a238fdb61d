package tc.oc.pgm.controlpoint;

public abstract class ControlPoint implements tc.oc.pgm.goals.Goal<tc.oc.pgm.goals.GoalDefinition> {}
