package home

import (
	"reflect"
	"testing"
)

// The defaults that a person reads are those in force.
func TestDocumentedDefaultsAreTheDefaults(t *testing.T) {
	for _, k := range plain(settingKeys) {
		if k.Default == "" {
			continue
		}
		got, err := ParseSettings("x", []byte(k.Key+": "+k.Default))
		if err != nil || !reflect.DeepEqual(got, defaultSettings()) {
			t.Errorf("%s: %s is not what is in force without it: %v", k.Key, k.Default, err)
		}
	}
	route := func(more string) Route {
		s, err := ParseSettings("x", []byte("lanes: {a: {routes: [{command: [x]"+more+"}]}}"))
		if err != nil {
			t.Fatal(err)
		}
		return s.Lanes["a"].Routes[0]
	}
	for _, k := range plain(routeKeys) {
		if k.Default != "" && !reflect.DeepEqual(route(", "+k.Key+": "+k.Default), route("")) {
			t.Errorf("route: %s: %s is not what is in force without it", k.Key, k.Default)
		}
	}
}
