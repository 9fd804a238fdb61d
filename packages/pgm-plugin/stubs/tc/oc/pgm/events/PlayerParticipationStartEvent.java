package tc.oc.pgm.events;

import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.join.JoinRequest;

public class PlayerParticipationStartEvent extends PlayerParticipationEvent {
  public PlayerParticipationStartEvent(MatchPlayer player, Competitor competitor, JoinRequest request) {
    super(player, competitor, request);
  }
}
