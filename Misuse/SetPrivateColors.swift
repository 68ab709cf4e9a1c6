// refused: 'colors' setter is inaccessible
import ManagedObjects
import MoodyModel

func misuse(_ mood: Mood) { mood.colors = [] }
