package tc.oc.pgm.api.player.event;

import org.bukkit.event.entity.PlayerDeathEvent;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.api.player.ParticipantState;
import tc.oc.pgm.api.tracker.info.DamageInfo;

public class MatchPlayerDeathEvent extends MatchPlayerEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final DamageInfo damageInfo;
  private final ParticipantState assister;

  public MatchPlayerDeathEvent(
      PlayerDeathEvent parent,
      MatchPlayer victim,
      DamageInfo damageInfo,
      boolean predicted,
      ParticipantState assister) {
    super(victim);
    this.damageInfo = damageInfo;
    this.assister = assister;
  }

  public final MatchPlayer getVictim() {
    return getPlayer();
  }

  public final ParticipantState getKiller() {
    return damageInfo.getAttacker();
  }

  public ParticipantState getAssister() {
    return assister;
  }
}
