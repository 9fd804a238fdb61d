package tc.oc.pgm.api.match;

public interface MatchModule extends tc.oc.pgm.api.module.Module {}
