package tc.oc.pgm.api.match.event;

import tc.oc.pgm.api.match.Match;

public abstract class MatchEvent extends org.bukkit.event.world.WorldEvent {
  private final Match match;

  protected MatchEvent(Match match) {
    this.match = match;
  }

  public final Match getMatch() {
    return match;
  }
}
