package tc.oc.pgm.api.player;

public interface MatchPlayerState extends tc.oc.pgm.util.named.Named {
  tc.oc.pgm.api.match.Match getMatch();

  tc.oc.pgm.api.party.Party getParty();

  java.util.UUID getId();

  org.bukkit.Location getLocation();
}
