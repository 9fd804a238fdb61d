package tc.oc.pgm.join;

public abstract class JoinRequest {}
