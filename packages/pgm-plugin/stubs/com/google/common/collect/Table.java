package com.google.common.collect;

public interface Table<R, C, V> {
  java.util.Map<R, java.util.Map<C, V>> rowMap();
}
