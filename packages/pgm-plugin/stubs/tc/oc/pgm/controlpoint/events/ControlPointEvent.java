package tc.oc.pgm.controlpoint.events;

import tc.oc.pgm.controlpoint.ControlPoint;

public abstract class ControlPointEvent extends tc.oc.pgm.api.match.event.MatchEvent {
  protected final ControlPoint controlPoint;

  public ControlPointEvent(tc.oc.pgm.api.match.Match match, ControlPoint controlPoint) {
    super(match);
    this.controlPoint = controlPoint;
  }

  public ControlPoint getControlPoint() {
    return controlPoint;
  }
}
