package tc.oc.pgm.api.party;

public interface Competitor extends Party {}
