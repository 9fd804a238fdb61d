package tc.oc.pgm.goals;

public interface Goal<T extends GoalDefinition> {
  String getName();

  org.bukkit.DyeColor getDyeColor();
}
