package tc.oc.pgm.events;

import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.join.JoinRequest;

public abstract class PlayerParticipationEvent extends tc.oc.pgm.api.player.event.MatchPlayerEvent
    implements org.bukkit.event.Cancellable {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final Competitor competitor;
  private boolean cancelled;

  protected PlayerParticipationEvent(MatchPlayer player, Competitor competitor, JoinRequest request) {
    super(player);
    this.competitor = competitor;
  }

  public Competitor getCompetitor() {
    return competitor;
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public void setCancelled(boolean cancel) {
    cancelled = cancel;
  }
}
