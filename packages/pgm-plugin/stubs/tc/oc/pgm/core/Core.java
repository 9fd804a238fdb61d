package tc.oc.pgm.core;

public abstract class Core implements tc.oc.pgm.goals.Goal<tc.oc.pgm.goals.GoalDefinition> {
  public abstract com.google.common.collect.ImmutableList<tc.oc.pgm.goals.Contribution> getContributions();
}
