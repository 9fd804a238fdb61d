package tc.oc.pgm.flag;

public abstract class NetDefinition {}
