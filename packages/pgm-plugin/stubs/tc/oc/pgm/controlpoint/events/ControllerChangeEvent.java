package tc.oc.pgm.controlpoint.events;

import tc.oc.pgm.api.match.Match;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.controlpoint.ControlPoint;

public class ControllerChangeEvent extends ControlPointEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final Competitor newController;

  public ControllerChangeEvent(Match match, ControlPoint hill, Competitor oldController, Competitor newController) {
    super(match, hill);
    this.newController = newController;
  }

  public Competitor getNewController() {
    return newController;
  }
}
