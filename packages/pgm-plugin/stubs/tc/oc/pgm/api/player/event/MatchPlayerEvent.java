package tc.oc.pgm.api.player.event;

import tc.oc.pgm.api.player.MatchPlayer;

public abstract class MatchPlayerEvent extends tc.oc.pgm.api.match.event.MatchEvent {
  private final MatchPlayer player;

  protected MatchPlayerEvent(MatchPlayer player) {
    super(player.getMatch());
    this.player = player;
  }

  public MatchPlayer getPlayer() {
    return player;
  }
}
