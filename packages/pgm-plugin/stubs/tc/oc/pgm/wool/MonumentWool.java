package tc.oc.pgm.wool;

public abstract class MonumentWool implements tc.oc.pgm.goals.Goal<tc.oc.pgm.goals.GoalDefinition> {}
