package tc.oc.pgm.destroyable;

public class DestroyableContribution extends tc.oc.pgm.goals.Contribution {
  public DestroyableContribution(tc.oc.pgm.api.player.MatchPlayerState player, double percentage, int blocks) {
    super(player, percentage);
  }
}
