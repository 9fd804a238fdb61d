package tc.oc.pgm.api.module;

public interface Module {}
