package tc.oc.pgm.api.match.event;

import java.util.Collection;
import tc.oc.pgm.api.match.Match;
import tc.oc.pgm.api.party.Competitor;

public class MatchFinishEvent extends MatchEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final Collection<Competitor> winners;

  public MatchFinishEvent(Match match, Collection<Competitor> winners) {
    super(match);
    this.winners = winners;
  }

  public final Collection<Competitor> getWinners() {
    return winners;
  }
}
