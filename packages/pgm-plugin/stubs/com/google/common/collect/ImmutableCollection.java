package com.google.common.collect;

public abstract class ImmutableCollection<E> implements java.util.Collection<E> {}
