package tc.oc.pgm.flag;

public abstract class Flag implements tc.oc.pgm.goals.Goal<tc.oc.pgm.goals.GoalDefinition> {}
