package tc.oc.pgm.teams;

public abstract class Team implements tc.oc.pgm.api.party.Competitor {}
