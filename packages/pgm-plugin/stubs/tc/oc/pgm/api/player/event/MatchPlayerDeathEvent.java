package tc.oc.pgm.api.player.event;

import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.api.player.ParticipantState;

public class MatchPlayerDeathEvent extends MatchPlayerEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final ParticipantState killer;
  private final ParticipantState assister;

  public MatchPlayerDeathEvent(MatchPlayer victim, ParticipantState killer, ParticipantState assister) {
    super(victim);
    this.killer = killer;
    this.assister = assister;
  }

  public final MatchPlayer getVictim() {
    return getPlayer();
  }

  public final ParticipantState getKiller() {
    return killer;
  }

  public ParticipantState getAssister() {
    return assister;
  }
}
