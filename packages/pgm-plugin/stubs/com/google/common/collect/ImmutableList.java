package com.google.common.collect;

public abstract class ImmutableList<E> extends ImmutableCollection<E> {}
