package tc.oc.pgm.api.tracker.info;

public interface DamageInfo {
  tc.oc.pgm.api.player.ParticipantState getAttacker();
}
