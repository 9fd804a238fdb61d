package tc.oc.pgm.goals;

import tc.oc.pgm.api.player.MatchPlayerState;

public class Contribution {
  private final MatchPlayerState player;
  private final double percentage;

  public Contribution(MatchPlayerState player, double percentage) {
    this.player = player;
    this.percentage = percentage;
  }

  public MatchPlayerState getPlayerState() {
    return player;
  }

  public double getPercentage() {
    return percentage;
  }
}
