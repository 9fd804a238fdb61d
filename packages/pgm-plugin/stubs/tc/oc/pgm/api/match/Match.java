package tc.oc.pgm.api.match;

import java.util.Collection;
import tc.oc.pgm.api.map.MapInfo;
import tc.oc.pgm.api.module.ModuleContext;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.player.MatchPlayer;

public interface Match extends ModuleContext<MatchModule> {
  MapInfo getMap();

  Collection<MatchPlayer> getParticipants();

  Collection<Competitor> getCompetitors();
}
