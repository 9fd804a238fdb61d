package tc.oc.pgm.wool;

import org.bukkit.block.BlockState;
import tc.oc.pgm.api.player.ParticipantState;

public class PlayerWoolPlaceEvent extends tc.oc.pgm.api.match.event.MatchEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final ParticipantState player;
  private final MonumentWool wool;

  public PlayerWoolPlaceEvent(ParticipantState player, MonumentWool wool, BlockState block) {
    super(player.getMatch());
    this.player = player;
    this.wool = wool;
  }

  public ParticipantState getPlayer() {
    return player;
  }

  public MonumentWool getWool() {
    return wool;
  }
}
