package tc.oc.pgm.events;

import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.player.MatchPlayer;

public class PlayerParticipationStartEvent extends PlayerParticipationEvent {
  public PlayerParticipationStartEvent(MatchPlayer player, Competitor competitor) {
    super(player, competitor);
  }
}
