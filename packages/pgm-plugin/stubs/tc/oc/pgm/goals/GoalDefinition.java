package tc.oc.pgm.goals;

public abstract class GoalDefinition {}
