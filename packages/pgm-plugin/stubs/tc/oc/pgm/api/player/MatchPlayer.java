package tc.oc.pgm.api.player;

import java.util.UUID;
import tc.oc.pgm.api.match.Match;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.util.named.Named;

public interface MatchPlayer extends Named {
  Match getMatch();

  Competitor getCompetitor();

  UUID getId();

  MatchPlayerState getState();

  org.bukkit.entity.Player getBukkit();
}
