package tc.oc.pgm.score;

import java.util.Map;
import java.util.UUID;
import tc.oc.pgm.api.party.Competitor;

public abstract class ScoreMatchModule implements tc.oc.pgm.api.match.MatchModule {
  public abstract Map<Competitor, Double> getScores();

  public abstract double getContribution(UUID player);
}
