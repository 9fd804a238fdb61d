package tc.oc.pgm.api.player;

public interface ParticipantState extends MatchPlayerState {
  @Override
  tc.oc.pgm.api.party.Competitor getParty();
}
