package tc.oc.pgm.destroyable;

public abstract class Destroyable implements tc.oc.pgm.goals.Goal<tc.oc.pgm.goals.GoalDefinition> {
  public abstract com.google.common.collect.ImmutableList<DestroyableContribution> getContributions();
}
