package tc.oc.pgm.flag.event;

import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.flag.Flag;
import tc.oc.pgm.flag.NetDefinition;

public class FlagCaptureEvent extends tc.oc.pgm.api.match.event.MatchEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final Flag flag;
  private final MatchPlayer carrier;

  public FlagCaptureEvent(Flag flag, MatchPlayer carrier, NetDefinition net) {
    super(carrier.getMatch());
    this.flag = flag;
    this.carrier = carrier;
  }

  public Flag getGoal() {
    return flag;
  }

  public MatchPlayer getCarrier() {
    return carrier;
  }
}
