package com.google.common.collect;

public abstract class ImmutableList<E> extends java.util.AbstractList<E> {}
